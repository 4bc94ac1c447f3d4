use http::{HeaderMap, HeaderName};
use serde_json::Value;
use standardwebhooks::Webhook;

fn main() {
    for line in std::io::stdin().lines() {
        let row: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let mut headers = HeaderMap::new();
        for (name, value) in row["headers"].as_object().unwrap() {
            let name: HeaderName = name.parse().unwrap();
            headers.insert(name, value.as_str().unwrap().parse().unwrap());
        }
        let webhook = Webhook::new(row["secret"].as_str().unwrap()).unwrap();
        match webhook.verify(row["body"].as_str().unwrap().as_bytes(), &headers) {
            Ok(()) => println!("accept"),
            Err(_) => println!("refuse"),
        }
    }
}
